"""Learners of classes, what they are made of, and how they are tested."""

from intemi.machines.classifiers import sklearn_objects  # noqa: F401  estimators stand for machines
from intemi.machines.classifiers.classification_test import ClassificationTest
from intemi.machines.classifiers.cn2 import CN2
from intemi.machines.classifiers.commentators import CorrectnessCommentator, MeasureCommentator, PredictionsCommentator
from intemi.machines.classifiers.contest_test import ContestTest
from intemi.machines.classifiers.distances import Distance, Euclidean, Mahalanobis, Manhattan, Minkowski, Mixed
from intemi.machines.classifiers.expected_class import ExpectedClass
from intemi.machines.classifiers.from_share import FromShare
from intemi.machines.classifiers.kernel_provider import KernelProvider
from intemi.machines.classifiers.kernels import GaussianKernel, Kernel, LinearKernel, PolynomialKernel
from intemi.machines.classifiers.knn import KNN
from intemi.machines.classifiers.linear_regression import LinearRegression
from intemi.machines.classifiers.logistic import Logistic
from intemi.machines.classifiers.lvq import LVQ
from intemi.machines.classifiers.majority import Majority
from intemi.machines.classifiers.naive_bayes import NaiveBayes
from intemi.machines.classifiers.one_r import OneR
from intemi.machines.classifiers.sklearn_classifier import SklearnClassifier
from intemi.machines.classifiers.sklearn_estimator import ColumnSelector, Estimator, SklearnFunction
from intemi.machines.classifiers.sklearn_transformer import SklearnTransformer
from intemi.machines.classifiers.svm import SVM, SVMTraining
from intemi.machines.classifiers.transform_and_classify import TransformAndClassify
from intemi.machines.classifiers.tuned_knn import TunedKNN

__all__ = [
    "Majority",
    "NaiveBayes",
    "KNN",
    "TunedKNN",
    "OneR",
    "CN2",
    "LinearRegression",
    "Logistic",
    "Distance",
    "Euclidean",
    "Manhattan",
    "Minkowski",
    "Mixed",
    "Mahalanobis",
    "ExpectedClass",
    "LVQ",
    "SVM",
    "SVMTraining",
    "KernelProvider",
    "Kernel",
    "GaussianKernel",
    "LinearKernel",
    "PolynomialKernel",
    "TransformAndClassify",
    "FromShare",
    "SklearnClassifier",
    "SklearnTransformer",
    "Estimator",
    "SklearnFunction",
    "ColumnSelector",
    "ClassificationTest",
    "ContestTest",
    "MeasureCommentator",
    "CorrectnessCommentator",
    "PredictionsCommentator",
]
